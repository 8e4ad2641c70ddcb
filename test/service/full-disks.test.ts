import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AuditBody } from '../../src/wire/service-bodies.ts'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { HealthBody } from '../../src/wire/health-body.ts'
import { mayMount, SmallDisk } from '../support/disk/small-disk.ts'
import { documentWith } from '../support/documents/documents.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const MINUTE_MS = 60_000
const inAMinute = () => Date.now() + MINUTE_MS

async function problemsOf(service: CalledService): Promise<readonly string[]> {
  const { problems } = HealthBody.parse(await (await service.fetch('/health')).json())
  return problems.map(({ subject }) => subject)
}

function hasLogged(service: CalledService, message: string): boolean {
  return service.logged.some((event) => event.message === message)
}

/** Fills the disk of the audit log, and waits until the health says that the log cannot be written. */
async function fillUnderAuditLog(service: CalledService, disk: SmallDisk): Promise<void> {
  disk.fill(0)
  await expect
    .poll(async () => {
      await service.fetch('/api/pipelines/none/schedule', { method: 'POST' })
      return (await problemsOf(service)).join()
    })
    .toContain('The audit log cannot be written')
}

describe('a disk of artifacts alone', () => {
  it.skipIf(!mayMount())(
    'is in the health when it is full or read-only (needs mount)',
    async () => {
      using disk = new SmallDisk(2)
      const service = await openService(['--artifacts-dir', disk.path])
      const remount = (how: string) =>
        spawnSync('mount', ['-o', `remount,${how}`, disk.path]).status

      disk.fill(0)
      const full = await problemsOf(service)
      disk.empty()
      const calm = await problemsOf(service)
      await expect.poll(() => remount('ro')).toBe(0)
      const readOnly = await problemsOf(service)
      remount('rw')

      expect(full).toEqual([
        'The disk of the artifacts is full: what would change it is refused until there is room',
      ])
      expect(calm).toEqual([])
      expect(readOnly).toEqual([
        'The folder of the artifacts cannot be written: the disk of the server is read-only',
      ])
    },
  )
})

describe('a full disk of the state alone', () => {
  it.skipIf(!mayMount())(
    'takes no entry of the audit log from a save, and is no trouble of mail that nobody wants (needs mount)',
    async () => {
      using disk = new SmallDisk(16)
      const places = ['--state-dir', join(disk.path, 'state')]
      const service = await openService(places)
      disk.fill(0)

      let saves = 0
      await expect
        .poll(async () => {
          saves += Number((await save(service, documentWith(`n${saves}`))).ok)
          return hasLogged(service, 'Mail cannot be sent')
        })
        .toBe(true)
      const problems = await problemsOf(service)
      disk.empty()
      await service.close()
      const again = await openService(places, service.folder, { clock: inAMinute })
      const entries = async () => {
        const asked = await again.fetch('/api/audit?action=save-configuration&limit=1000')
        return AuditBody.parse(await asked.json()).entries
      }

      expect(problems.join()).toContain('The audit log cannot be written')
      expect(problems.join()).not.toContain('Mail')
      expect(hasLogged(service, 'An entry of the audit log is lost')).toBe(false)
      // An entry that may have been stored is taken in when it is certain whether it was.
      await expect.poll(entries).toHaveLength(saves)
    },
  )

  it.skipIf(!mayMount())(
    'is over for the audit log by itself, though it took no refusal and there is no other entry (needs mount)',
    async () => {
      using disk = new SmallDisk(16)
      const places = ['--state-dir', join(disk.path, 'state')]
      const service = await openService(places, undefined, { clock: inAMinute })
      await fillUnderAuditLog(service, disk)

      disk.empty()

      await expect.poll(() => problemsOf(service)).toEqual([])
    },
  )

  it.skipIf(!mayMount())(
    'is over with the next entry of the audit log, whether it was actions or refusals that it took none of (needs mount)',
    async () => {
      using disk = new SmallDisk(16)
      const service = await openService(['--state-dir', join(disk.path, 'state')])
      await fillUnderAuditLog(service, disk)
      disk.empty()

      await save(service, documentWith('after'))

      expect(await problemsOf(service)).toEqual([])
    },
  )

  it.skipIf(!mayMount())(
    'is over for the index of the history, too, though nothing is saved any more (needs mount)',
    async () => {
      using disk = new SmallDisk(16)
      const service = await openService(['--state-dir', join(disk.path, 'state')])
      const revisionsOf = async (pipeline: string) => {
        const asked = `/api/config/revisions?entity=pipeline/${pipeline}`
        return RevisionEntry.array().parse(await (await service.fetch(asked)).json())
      }
      await save(service, documentWith('before'))
      const before = await revisionsOf('before')
      disk.fill(0)
      let saves = 0
      const last = () => `during-${saves}`
      await expect
        .poll(async () => {
          saves += 1
          await save(service, documentWith(last()))
          // A failed round may leave room for the next one.
          const hasFailed = hasLogged(service, 'The history could not be indexed')
          return hasFailed ? revisionsOf(last()) : null
        })
        .toEqual([])

      disk.empty()

      expect(before).toHaveLength(1)
      await expect.poll(() => revisionsOf(last())).not.toEqual([])
    },
  )
})
