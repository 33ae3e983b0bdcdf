import type { Api } from "../support/api.ts";
import { type Asked, type Fault, type Form, forms } from "./fault.ts";

/** One field of the matrix: a fault in one form, met by one client over one backend. */
export interface Cell extends Asked {
  fault: Fault;
  /** What the provider sees as the model; no other cell has it. */
  model: string;
  title: string;
}

const apis: readonly Api[] = ["chat", "responses"];

/** A client of one API before a backend of one, with a stream or without. */
export interface Exchange {
  client: Api;
  backend: Api;
  stream: boolean;
  title: string;
}

export const exchanges: readonly Exchange[] = apis.flatMap((client) =>
  apis.flatMap((backend) =>
    [true, false].map((stream) => {
      const title = `${client} client, ${backend} backend, ${stream ? "stream" : "whole"}`;
      return { client, backend, stream, title };
    }),
  ),
);

export function cellsOf(fault: Fault): Cell[] {
  return forms
    .filter((form) => fault[form] !== undefined)
    .flatMap((form) =>
      exchanges.filter(({ backend }) => exists(fault, form, backend)).map((exchange) => cellOf(fault, form, exchange)),
    );
}

function cellOf(fault: Fault, form: Form, { title, ...exchange }: Exchange): Cell {
  const { client, stream } = exchange;
  return {
    ...exchange,
    form,
    fault,
    model: `${slugOf(fault.name)}.${form}.${client}.${stream ? "stream" : "whole"}`,
    title: `${title}, answered by ${form}`,
  };
}

function exists(fault: Fault, form: Form, backend: Api): boolean {
  return form === "socket" ? fault.socket !== undefined : fault[form]?.[backend] !== undefined;
}

/** The cells by what a provider sees of them. */
export class CellIndex {
  readonly #byModel = new Map<string, Cell>();

  constructor(cells: readonly Cell[]) {
    for (const cell of cells) {
      const key = `${cell.backend} ${cell.model}`;
      if (this.#byModel.has(key)) throw new Error(`Two cells are ${key}.`);
      this.#byModel.set(key, cell);
    }
  }

  find(api: Api, model: string): Cell | undefined {
    return this.#byModel.get(`${api} ${model}`);
  }
}

function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
