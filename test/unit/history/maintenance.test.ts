import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { History, MaintenanceLimits } from '../../../src/history/history.ts'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { until } from '../../support/programs/until.ts'

const NEVER: MaintenanceLimits = { looseObjects: 1e9, looseBytes: 1e12, packs: 1e9 }
const OBJECT = /\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/
const EAGER: MaintenanceLimits = { ...NEVER, looseObjects: 1 }

/** A document of about a megabyte whose lines differ. */
function largeDocument(change: number): string {
  const lines = Array.from(
    { length: 12_000 },
    (_, n) =>
      `  <pipeline name="p${n}" label="${(n * 7919) % 104_729}-${n === change * 97 ? change : 0}" url="https://example.org/${n}" />`,
  )
  return documentOf(lines.join('\n'))
}

/** Reads revisions in no order until it is over, and counts them. */
class Reader {
  reads = 0
  isOver = false

  async readAtRandom(history: History): Promise<void> {
    for (let place = 1; !this.isOver; place = (place * 7919 + 13) % history.size()) {
      const [revision] = history.list({ offset: place, limit: 1 })
      if (revision) await history.readDocument(revision)
      this.reads += 1
      await turn()
    }
  }
}

/** Lets a file or folder look as if it had not been touched for two hours. */
function age(path: string): void {
  const old = new Date(Date.now() - 7_200_000)
  utimesSync(path, old, old)
}

describe('maintenance', () => {
  it('begins by itself when there is much that lies loose, and says what lies where', async () => {
    await using folder = new HistoryFolder({ packWhen: { ...NEVER, looseObjects: 30 } })
    const history = await folder.open()

    for (let n = 0; n < 10; n += 1) await save(history, documentOf(`number ${n}`))
    await until(() => (history.storage()?.packedAt ?? null) !== null)

    const storage = history.storage()
    expect(storage).toMatchObject({ packs: 1, problem: null, packedAt: expect.any(Number) })
    expect(storage?.looseObjects).toBeLessThan(30)
    expect(storage?.packBytes).toBeGreaterThan(1000)
    expect(folder.complaints()).toBe('')
  })

  it('puts packs together when there are many, whoever made them', async () => {
    await using folder = new HistoryFolder({ packWhen: { ...NEVER, packs: 5 } })
    const history = await folder.open()
    for (let n = 0; n < 6; n += 1) {
      await save(history, documentOf(`number ${n}`))
      folder.git('repack', '-d', '-q')
    }

    await history.maintain()

    expect(history.storage()?.packs).toBeLessThan(4)
    expect(folder.complaints()).toBe('')
  })

  it('looks at each loose object once, and still knows how large all of them are', async () => {
    const looked: string[] = []
    const fs: FsPromises = Object.assign(Object.create(nodeFs), {
      stat: (path: string) => {
        if (OBJECT.test(path)) looked.push(path)
        return nodeFs.stat(path)
      },
    })
    await using folder = new HistoryFolder({ packWhen: NEVER, fs })
    const history = await folder.open()
    await history.maintain()
    await save(history, documentOf('another'))

    await history.maintain()

    expect(looked).toHaveLength(6)
    expect(new Set(looked).size).toBe(6)
    const sizes = looked.map((path) => statSync(path).size)
    const looseBytes = sizes.reduce((sum, size) => sum + size, 0)
    expect(history.storage()).toMatchObject({ looseObjects: 6, looseBytes })
  })

  it('only counts where there is no git program', async () => {
    await using folder = new HistoryFolder({ packWhen: EAGER, programPath: null })
    const history = await folder.open()

    await save(history, documentOf('another'))
    await history.maintain()

    expect(history.storage()).toMatchObject({ looseObjects: 6, packs: 0, packedAt: null })
  })

  it('says why it fails, and that the history goes on', async () => {
    await using folder = new HistoryFolder({ packWhen: EAGER })
    const history = await folder.open()
    folder.git('config', 'pack.window', 'many')

    await history.maintain()
    await save(history, documentOf('after that'))

    expect(history.storage()?.problem).toMatch(/bad numeric config value 'many'/)
    expect(folder.events).toContain('The repository could not be packed')
  })

  it('removes what killed packing has left, but nothing that may be in the making', async () => {
    await using folder = new HistoryFolder({ packWhen: EAGER, clock: Date.now })
    const history = await folder.open()
    for (const name of ['tmp_pack_old', 'tmp_pack_new']) {
      writeFileSync(folder.file(`.git/objects/pack/${name}`), 'PACK')
    }
    age(folder.file('.git/objects/pack/tmp_pack_old'))

    await history.maintain()

    const names = readdirSync(folder.file('.git/objects/pack'))
    expect(names.filter((name) => name.startsWith('tmp'))).toEqual(['tmp_pack_new'])
  })

  it('removes what killed pushes have left, but nothing that a push still writes', async () => {
    await using folder = new HistoryFolder({ packWhen: EAGER, clock: Date.now })
    const history = await folder.open()
    for (const name of ['tmp_objdir-incoming-old111', 'incoming-old222', 'incoming-new333']) {
      mkdirSync(folder.file(`.git/objects/${name}/pack`), { recursive: true })
      writeFileSync(folder.file(`.git/objects/${name}/pack/tmp_pack_x`), 'PACK')
      for (const part of ['/pack', '']) age(folder.file(`.git/objects/${name}${part}`))
      if (name.includes('old')) age(folder.file(`.git/objects/${name}/pack/tmp_pack_x`))
    }

    await history.maintain()

    const names = readdirSync(folder.file('.git/objects'))
    expect(names.filter((name) => name.includes('incoming'))).toEqual(['incoming-new333'])
  })

  it.each([
    ['git', process.env['PATH']],
    ['isomorphic-git', null],
  ])(
    'takes no old snapshot from readers through %s, nor does a git gc of somebody else',
    { tags: ['long'] },
    async (_, programPath) => {
      await using folder = new HistoryFolder({ packWhen: EAGER, programPath })
      const history = await folder.open()
      for (let n = 0; n < 12; n += 1) await save(history, documentOf(`old ${n}`))
      const readers = [new Reader(), new Reader()]
      const reading = Promise.all(readers.map((reader) => reader.readAtRandom(history)))

      for (let n = 0; n < 6 || readers.some(({ reads }) => reads <= 10); n += 1) {
        await save(history, documentOf(`new ${n}`))
        await history.maintain()
        if (n % 3 === 1) folder.git('gc', '--quiet')
        if (n % 3 === 2) folder.git('repack', '-a', '-d', '-q')
      }
      for (const reader of readers) reader.isOver = true
      await reading

      expect(Math.min(...readers.map(({ reads }) => reads))).toBeGreaterThan(10)
      expect(folder.complaints()).toBe('')
    },
  )

  it(
    'keeps forty revisions of a megabyte as small as 10,000 in 100 MB have to be',
    { tags: ['long'] },
    async () => {
      await using folder = new HistoryFolder({ packWhen: { ...NEVER, looseObjects: 60 } })
      const writing = await folder.open()
      for (let n = 1; n <= 40; n += 1) await save(writing, largeDocument(n))

      const history = await folder.reopen({ packWhen: EAGER })
      await history.maintain()

      const { looseBytes = NaN, packBytes = NaN } = history.storage() ?? {}
      expect(looseBytes + packBytes).toBeLessThan(40 * 10_000)
    },
  )
})
