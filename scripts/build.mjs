import { prepare } from "./setup.mjs";

await prepare();
