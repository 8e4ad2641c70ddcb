import { nameSourcePositions } from './lib/source-positions.ts'
import { main } from './cli/commands/main.ts'
import { outliveOutput } from './cli/output.ts'
import { endWithNpx } from './cli/stopping.ts'

// No answer has a stack; the log does.
nameSourcePositions(import.meta.dirname)
outliveOutput()
endWithNpx()
process.exitCode = await main(process.argv.slice(2))
