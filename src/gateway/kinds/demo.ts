import { createDemoBackend } from "../../backends/demo/index.ts";
import type { CreateBackend } from "./kind.ts";

export const demoBackend: CreateBackend<"demo"> = (name, { pace }) => createDemoBackend({ name, pace });
