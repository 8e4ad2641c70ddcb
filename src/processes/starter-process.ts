import { type ProgramEnd, type ProgramRun, runProgram } from './run-program.ts'
import type { StarterAnswer, StarterRequest } from './starter.ts'

interface Running {
  readonly stopping: AbortController
  readonly end: Promise<ProgramEnd>
}

const running = new Map<number, Running>()

process.on('message', ({ id, run }: StarterRequest) => {
  if (run === null) running.get(id)?.stopping.abort()
  else answer(id, run).catch(fail)
})

process.on('disconnect', () => {
  stop().catch(fail)
})

async function answer(id: number, run: ProgramRun): Promise<void> {
  const stopping = new AbortController()
  const end = runProgram(run, stopping.signal)
  running.set(id, { stopping, end })
  const answered: StarterAnswer = { id, end: await end }
  running.delete(id)
  if (process.connected) process.send?.(answered)
}

/** The process that programs ran for has ended. */
async function stop(): Promise<void> {
  for (const { stopping } of running.values()) stopping.abort()
  await Promise.all([...running.values()].map(({ end }) => end))
  process.exit()
}

/** The other process notices the end. */
function fail(): never {
  process.exit(1)
}
