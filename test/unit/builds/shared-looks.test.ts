import { describe, expect, it } from 'vitest'
import { SharedLooks } from '../../../src/builds/triggers/shared-looks.ts'

/** Repositories that answer each poll when a test says so. */
function openLooks() {
  const polled: string[] = []
  const answers: ((revision: string) => void)[] = []
  const looks = new SharedLooks({
    latest: () => null,
    poll: (fingerprint) => {
      polled.push(fingerprint)
      return new Promise((resolve) => answers.push(resolve))
    },
    pollOnce: async () => 'unwatched',
    find: async () => null,
    changes: async () => null,
  })
  return { looks, polled, answer: (revision: string) => answers.shift()?.(revision) }
}

describe('a look at the materials of a pipeline', () => {
  it('serves every start that waited when it began, once for each material', async () => {
    const { looks, polled, answer } = openLooks()
    const [first, second] = [looks.next('app'), looks.next('app')]

    const found = [first.poll('git'), first.poll('hg'), second.poll('git'), second.poll('hg')]
    answer('1')
    answer('2')

    expect(await Promise.all(found)).toEqual(['1', '2', '1', '2'])
    expect(polled).toEqual(['git', 'hg'])
  })

  it('serves no start that is asked for after it began, not even before it ends', async () => {
    const { looks, answer } = openLooks()
    const first = looks.next('app').poll('git')
    const later = looks.next('app').poll('git')

    answer('older')
    answer('newer')

    expect(await Promise.all([first, later])).toEqual(['older', 'newer'])
  })

  it('is of one pipeline', async () => {
    const { looks, polled } = openLooks()

    void looks.next('app').poll('git')
    void looks.next('other').poll('git')

    expect(polled).toEqual(['git', 'git'])
  })

  it('is not kept for starts that are over without it', () => {
    const { looks } = openLooks()
    const look = looks.next('app')

    looks.end('app', look)

    expect(looks.next('app')).not.toBe(look)
  })
})
