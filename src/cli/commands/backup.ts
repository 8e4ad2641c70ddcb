import { createReadStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Backup, type BackupOptions, makeBackup } from '../../operations/backup/make-backup.ts'
import { openStaging } from '../../operations/backup/staging.ts'
import { statePlaces } from '../../operations/service-places.ts'
import { programPath } from '../../settings/environment.ts'
import { readSettings, SettingsError } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { VERSION } from '../../server/version.ts'
import { complain } from '../output.ts'
import { takeFile } from '../take-file.ts'

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
    `${file} holds ${revisions} revisions up to ${commit}, the state, the users and the secret keys, ${extent} artifacts`,
  )
  complain('whoever has it can read every secret of the configuration: keep it safe')
  return problems.length === 0 ? 0 : 1
}
