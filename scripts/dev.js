// Serves from the sources: `npm run dev -- [flags of serve]`. Node watches `src`, and starts this again after each change.
import { buildWhenNeeded } from './build.js'

await buildWhenNeeded()
await import('../dist/main.js')
