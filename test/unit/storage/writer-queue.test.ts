import { expect, it } from 'vitest'
import { WriterQueue } from '../../../src/storage/writer-queue.ts'

it('refuses writers that come once it is closed, as the service is stopping', async () => {
  const queue = new WriterQueue()
  await queue.close()

  await expect(queue.run(async () => 'late')).rejects.toMatchObject({ code: 'unavailable' })
})
