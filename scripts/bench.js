// Measures the speed that the project promises: `npm run bench -- [name...] [--quick] [--keep]`.
import { register } from 'tsx/esm/api'
import { buildWhenNeeded } from './build.js'

await buildWhenNeeded()
register()
const { bench } = await import('../test/bench/bench.ts')
process.exitCode = await bench(process.argv.slice(2))
