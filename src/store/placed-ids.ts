/** A message of a conversation, and an item of it. */
export interface ItemPosition {
  conversation: string;
  position: number;
  at: number;
}

const conversationPrefix = "conv_";
const form = /^[a-z]+_([0-9a-f]{32})_(\d{1,9})_(\d{1,9})$/;

/**
 * Items of clients often have no id. They get one that says where they are stored, so that it is the same in every reading, and an
 * `item_reference` finds the item without an index.
 */
export function placedId(prefix: string, { conversation, position, at }: ItemPosition): string {
  return `${prefix}_${conversation.slice(conversation.indexOf("_") + 1).slice(0, 32)}_${position}_${at}`;
}

/** Where the item of such an id is stored, if it is one. */
export function placeOfId(id: string): ItemPosition | undefined {
  const [, hex, position, at] = form.exec(id) ?? [];
  if (hex === undefined) return undefined;
  return { conversation: conversationPrefix + hex, position: Number(position), at: Number(at) };
}
