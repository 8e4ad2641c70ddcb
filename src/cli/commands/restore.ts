import { resolve } from 'node:path'
import { restoreBackup } from '../../operations/backup/restore-backup.ts'
import { statePlaces } from '../../operations/service-places.ts'
import { programPath } from '../../settings/environment.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { VERSION } from '../../server/version.ts'
import { complain, say } from '../output.ts'
import { takeFile } from '../take-file.ts'

/** Restores the folders of a service from a backup into empty folders. */
export async function restore(args: readonly string[]): Promise<number> {
  const { file, flags } = takeFile(args, 'restore')
  const settings = readSettings(SETTINGS.restore, flags)
  const places = { repository: resolve(settings['config-repo']), ...statePlaces(settings) }
  const { repository } = places
  const restored = await restoreBackup(resolve(file), {
    places,
    version: VERSION,
    programPath: programPath(),
  })
  const { manifest, files, revisions, newest, problems, notes } = restored
  for (const note of notes) complain(`note: ${note}`)
  for (const problem of problems) complain(problem)
  const taken = new Date(manifest.time).toISOString()
  say(`${file} was made at ${taken} by version ${manifest.serverVersion}`)
  const count = `${revisions} ${revisions === 1 ? 'revision' : 'revisions'}`
  say(`${repository}: ${count}, the newest ${newest?.digest} by ${newest?.username}`)
  for (const path of files) say(path)
  say(manifest.hasArtifacts ? 'artifacts and consoles are restored' : 'the backup has no artifacts')
  if (manifest.fileName !== 'config.xml') say(`serve it with --config-file ${manifest.fileName}`)
  return problems.length === 0 ? 0 : 1
}
