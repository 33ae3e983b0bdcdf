export interface Place {
  room: string;
  globs: string[];
  imports: string[];
}

export const rooms: readonly { name: string }[];
export const outside: readonly string[];
export const places: readonly Place[];
export function withRoomRules(biomeJson: string): string;
export function withRoomTable(contributing: string): string;
