/** The reason why a replay cannot run, as a sentence for the user. */
export class Complaint extends Error {}
