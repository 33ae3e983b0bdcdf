import { chatApi } from "../../backends/chat/index.ts";
import { responsesApi } from "../../backends/responses/index.ts";
import type { BackendConfig, BackendKindName } from "../../config/index.ts";
import type { Backend } from "../../turn/index.ts";
import { codexBackends } from "./codex.ts";
import { demoBackend } from "./demo.ts";
import type { BackendContext, CreateBackend } from "./kind.ts";
import { serviceBackends } from "./service.ts";

export type { BackendContext } from "./kind.ts";

type Creators = { readonly [Kind in BackendKindName]: CreateBackend<Kind> };

/** Creates the backends of one gateway. Backends of one kind may share state, but only within the gateway. */
export function createBackends(context: BackendContext): (name: string, settings: BackendConfig) => Backend {
  const creators: Creators = {
    chat: serviceBackends(chatApi, context),
    responses: serviceBackends(responsesApi, context),
    codex: codexBackends(context),
    demo: demoBackend,
  };
  return (name, settings) => create(creators, name, settings);
}

/** The kind is a type parameter, because otherwise the compiler cannot match the settings to their creator. */
function create<Kind extends BackendKindName>(
  creators: Creators,
  name: string,
  settings: BackendConfig<Kind>,
): Backend {
  return creators[settings.kind](name, settings);
}
