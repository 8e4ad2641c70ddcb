import { expect, it } from 'vitest'
import { BuildWatch } from '../../../src/builds/dispatch/build-watch.ts'

it('looks once more, not once for each change, where changes come while a look lasts', async () => {
  const answers: (() => void)[] = []
  const changes: (() => void)[] = []
  const forgetPauses = () => new Promise<void>((resolve) => answers.push(resolve))
  const watch = new BuildWatch({
    builds: {
      forgetPauses,
      forgetTicks: async () => undefined,
      cancelRemoved: async () => [],
      rescheduleLost: async () => 0,
      onEvent: () => () => undefined,
    },
    directory: { findLost: async () => [], list: () => [] },
    pipelines: { onChange: (listener) => (changes.push(listener), () => undefined) },
    running: { list: () => [], settle: () => undefined },
    silent: { cancelOverdue: async () => undefined },
    uptime: () => 0,
    log: () => undefined,
    agentTimeout: 60_000,
  })
  await expect.poll(() => answers.length).toBe(1)

  for (let change = 0; change < 5; change += 1) for (const listener of changes) listener()
  answers[0]?.()
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.()
  await watch[Symbol.asyncDispose]()

  expect(answers).toHaveLength(2)
})
