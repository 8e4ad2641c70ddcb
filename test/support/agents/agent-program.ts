// Runs an agent with the options of the first argument until it is told to end, and prints what it logs.
import { runAgent } from '../../../src/agent/run-agent.ts'
import { stopSignal } from '../../../src/cli/stopping.ts'
import type { LogEvent } from '../../../src/lib/log.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)
const log = ({ message }: LogEvent) => say(message)
const options = { ...JSON.parse(process.argv[2] ?? ''), environment: process.env, log }

await runAgent(options, stopSignal()).catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
