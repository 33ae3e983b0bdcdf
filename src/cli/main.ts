#!/usr/bin/env node
import { runCommandLine } from "./commands.ts";

process.exitCode = await runCommandLine(process.argv.slice(2));
