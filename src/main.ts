import { keepYoung } from './lib/keep-young.ts'
import { main } from './cli/commands/main.ts'
import { outliveOutput } from './cli/output.ts'
import { endWithNpx } from './cli/stopping.ts'

// A stack in the log names the lines of the sources. No answer has one.
process.setSourceMapsEnabled(true)
outliveOutput()
endWithNpx()
keepYoung()
process.exitCode = await main(process.argv.slice(2))
