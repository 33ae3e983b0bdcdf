/** What keeps a replay from being run: a sentence for the person who asked for it. */
export class Complaint extends Error {}
