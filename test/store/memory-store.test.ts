import { MemoryDatabase } from "../../src/store/memory-database.ts";
import { SqlStore } from "../../src/store/sql-store.ts";
import { describeStore } from "./store-contract.ts";

describeStore("the memory database", async () => {
  const store = new SqlStore(new MemoryDatabase(), { kind: "memory" });
  return { store, close: () => store.close() };
});
