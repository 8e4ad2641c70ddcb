import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, aroundEach, beforeAll, onTestFinished, type TestContext } from 'vitest'

type End = () => unknown

/** The test that is running, where several run at once. */
const running = new AsyncLocalStorage<TestContext>()

/** The ends of what a suite shares, while that is opened. */
let endsOfSuite: End[] | null = null

/** Ends something with the test, or with the suite whose tests share it. */
export function atEnd(end: End): void {
  if (endsOfSuite !== null) endsOfSuite.push(end)
  else {
    const onFinished = running.getStore()?.onTestFinished ?? onTestFinished
    onFinished(async () => {
      await end()
    })
  }
}

/**
 * For a file with suites that are `concurrent`, because their tests wait for programs of their own most of the
 * time: what a test opens ends with it. `expect` is that of the test's context.
 */
export function endEachAlone(): void {
  aroundEach((runTest, context) => running.run(context, runTest))
}

/** Opens what the tests of a suite share, as those do that only read, and ends it after the last of them. */
export function shared<Value>(open: () => Promise<Value>): () => Value {
  const ends: End[] = []
  const opened: Value[] = []
  beforeAll(async () => {
    endsOfSuite = ends
    try {
      opened.push(await open())
    } finally {
      endsOfSuite = null
    }
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return () => {
    const [value] = opened
    if (value === undefined) throw new Error('What is shared opens before the first test')
    return value
  }
}
