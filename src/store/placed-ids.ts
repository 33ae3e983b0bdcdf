/** A message of a conversation, and an item of it. */
export interface ItemPosition {
  conversation: string;
  position: number;
  at: number;
}

/** The kinds of conversations differ in the length of their ids, too. */
const form = /^[a-z]+_(?:([0-9a-f]{32})|([0-9a-f]{64}))_(\d{1,9})_(\d{1,9})$/;

/**
 * Items of clients often have no id. They get one that says where they are stored, so that it is the same in every reading, and an
 * `item_reference` finds the item without an index.
 */
export function placedId(prefix: string, { conversation, position, at }: ItemPosition): string {
  return `${prefix}_${conversation.slice(conversation.indexOf("_") + 1)}_${position}_${at}`;
}

/** Where the item of such an id is stored, if it is one. */
export function placeOfId(id: string): ItemPosition | undefined {
  const [, usual, once, position, at] = form.exec(id) ?? [];
  if (position === undefined) return undefined;
  const conversation = usual === undefined ? `once_${once}` : `conv_${usual}`;
  return { conversation, position: Number(position), at: Number(at) };
}
