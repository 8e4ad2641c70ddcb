import { resolve } from 'node:path'
import { plural } from '../../lib/plural.ts'
import { makeArchive } from '../../operations/archive/make-archive.ts'
import { restoreArchive } from '../../operations/archive/restore-archive.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { SettingsError } from '../../settings/settings-error.ts'
import { type ArchiveSettings, SETTINGS } from '../../settings/settings.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { checkedRepository } from '../checked-repository.ts'
import { say } from '../output.ts'
import { takeFile } from '../take-file.ts'
import { wrongUsage } from '../usage.ts'

const NOT_OF_A_DATABASE =
  'a history in PostgreSQL is whole: its log has every move of the branch, and nothing of it can be archived'

/** Moves old revisions into a file, or brings them back. The service must be stopped. */
export async function archive(args: readonly string[]): Promise<number> {
  const { file: name, flags } = takeFile(args, 'archive')
  const settings = readSettings(SETTINGS.archive, flags)
  if (settings.state !== null) throw new SettingsError(NOT_OF_A_DATABASE)
  const { before } = settings
  if ((before === null) !== settings.restore) throw wrongUsage('archive')
  await actAsOwner(settings['config-repo'])
  const file = resolve(name)
  return before === null ? bringBack(file, settings) : move({ file, before }, settings)
}

async function move(request: { file: string; before: number }, settings: ArchiveSettings) {
  const made = await makeArchive(request, { ...checkedRepository(settings), clock: Date.now })
  const { revisions, firstKept, stillThere } = made
  say(
    `${request.file} holds r${firstKept - revisions} to r${firstKept - 1}; every one was read back`,
  )
  say(`The history begins with r${firstKept}`)
  if (stillThere > 0) {
    const stay = plural(stillThere, 'stays', 'stay')
    const them = plural(stillThere, 'it', 'them')
    say(
      `${stillThere} of its commits ${stay} here too: another branch, a tag or a log needs ${them}`,
    )
  }
  return 0
}

async function bringBack(file: string, settings: ArchiveSettings): Promise<number> {
  const { revisions } = await restoreArchive(file, checkedRepository(settings))
  const count = `${revisions} ${plural(revisions, 'revision')}`
  const are = plural(revisions, 'is', 'are')
  say(`${count} of ${file} ${are} back in ${resolve(settings['config-repo'])}`)
  return 0
}
