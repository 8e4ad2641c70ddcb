#!/usr/bin/env node
// Runs any subcommand from a checkout: compiles the sources first when the build is older.
import { buildWhenNeeded } from './build.js'

buildWhenNeeded()
await import('../dist/main.js')
