import { createReadStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { plural } from '../../lib/plural.ts'
import { type Backup, type BackupOptions, makeBackup } from '../../operations/backup/make-backup.ts'
import { openStaging } from '../../operations/backup/staging.ts'
import { statePlaces } from '../../operations/service-places.ts'
import { programPath } from '../../settings/environment.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { SettingsError } from '../../settings/settings-error.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { VERSION } from '../../server/version.ts'
import { complain, say } from '../output.ts'
import { takeFile } from '../take-file.ts'
import { restoreBackup } from '../../operations/backup/restore-backup.ts'

const NOT_A_DATABASE =
  'what is in PostgreSQL is not copied by cairn backup: use pg_dump, and keep secret.keys, the users and artifacts beside that'

/** Writes an archive of a service, which may be running; `-` writes it to standard output. */
export async function backup(args: readonly string[]): Promise<number> {
  const { file, flags } = takeFile(args, 'backup')
  const settings = readSettings(SETTINGS.backup, flags)
  if (settings.state !== null) throw new SettingsError(NOT_A_DATABASE)
  const options: BackupOptions = {
    places: {
      repository: resolve(settings['config-repo']),
      fileName: settings['config-file'],
      ...statePlaces(settings),
    },
    withArtifacts: settings.artifacts,
    clock: Date.now,
    version: VERSION,
    programPath: programPath(),
  }
  return file === '-' ? print(options) : report(await makeBackup(resolve(file), options))
}

/** The archive is finished and checked before its first byte is printed. */
async function print(options: BackupOptions): Promise<number> {
  await using staging = await openStaging(join(tmpdir(), 'cairn-backup'))
  const made = await makeBackup(join(staging.folder, 'backup.tar.gz'), options)
  await pipeline(createReadStream(made.file), process.stdout)
  return report({ ...made, file: 'Standard output' })
}

function report({ file, manifest, problems, notes }: Backup): number {
  const { revisions, commit, hasArtifacts } = manifest
  for (const note of notes) complain(`note: ${note}`)
  for (const problem of problems) complain(problem)
  const extent = hasArtifacts ? 'with' : 'without'
  complain(
    `${file} holds ${revisions} ${plural(revisions, 'revision')} up to ${commit}, the state, the users and the secret keys, ${extent} artifacts`,
  )
  complain('whoever has it can read every secret of the configuration: keep it safe')
  return problems.length === 0 ? 0 : 1
}

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
  const count = `${revisions} ${plural(revisions, 'revision')}`
  say(`${repository}: ${count}, the newest ${newest?.digest} by ${newest?.username}`)
  for (const path of files) say(path)
  say(manifest.hasArtifacts ? 'artifacts and consoles are restored' : 'the backup has no artifacts')
  if (manifest.fileName !== 'config.xml') say(`serve it with --config-file ${manifest.fileName}`)
  return problems.length === 0 ? 0 : 1
}
