// Holds the write lock of a SQLite file until its input ends.
import Database from "libsql";

const database = new Database(process.argv[2]);
database.exec("BEGIN IMMEDIATE");
process.stdout.write("locked\n");
process.stdin.on("end", () => {
  database.exec("ROLLBACK");
  database.close();
});
process.stdin.resume();
