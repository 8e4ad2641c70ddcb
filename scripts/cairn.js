#!/usr/bin/env node
// Runs any subcommand from a checkout, which `npm ci` has built.
import { existsSync } from 'node:fs'

const main = new URL('../dist/main.js', import.meta.url)

if (existsSync(main)) await import(main.href)
else {
  process.stderr.write('cairn: not built yet: run npm ci, or npm run build\n')
  process.exitCode = 1
}
