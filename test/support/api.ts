/** The client APIs that most tests run through, and the provider APIs behind them. */
export type Api = "chat" | "responses";
