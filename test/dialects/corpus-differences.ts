/** A case on which we differ: the rule of the design that we keep instead, and what it means there. */
export interface Difference {
  rule: number;
  why: string;
}

export const differences: Record<string, Difference> = {};
