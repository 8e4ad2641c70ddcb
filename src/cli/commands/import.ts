import { resolve } from 'node:path'
import { withoutCredentials } from '../../core/hidden-credentials.ts'
import { type Imported, importRepository } from '../../operations/import/import-repository.ts'
import { keysFileOf } from '../../operations/service-places.ts'
import { programPath, toolEnvironment } from '../../settings/environment.ts'
import { readSettings, SETTINGS } from '../../settings/settings.ts'
import { VERSION } from '../../server/version.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { say, writeLog } from '../output.ts'
import { ProgressBar } from '../progress-bar.ts'
import { takeFile } from '../take-file.ts'

/** The limits of commits that are listed for one reason, and of problems for each. */
const MAX_COMMITS = 10
const MAX_PROBLEMS = 3

/** Imports the history of another repository. The service must be stopped. */
export async function importCommand(args: readonly string[]): Promise<number> {
  const { file: from, flags } = takeFile(args, 'import', 'REPO')
  const settings = readSettings(SETTINGS.import, flags)
  await actAsOwner(settings['config-repo'], settings['state-dir'])
  const places = {
    repository: resolve(settings['config-repo']),
    fileName: settings['config-file'],
    objectFormat: settings['object-format'],
    stateDir: resolve(settings['state-dir']),
    keysFile: keysFileOf(settings),
  }
  const sourceFile = settings.file ?? places.fileName
  const { branch, since } = settings
  using bar = new ProgressBar('commits')
  const imported = await importRepository({ from, branch, sourceFile, since }, places, {
    clock: Date.now,
    log: writeLog,
    version: VERSION,
    programPath: programPath(),
    environment: toolEnvironment(),
    onProgress: (progress) => bar.show(progress),
  })
  bar[Symbol.dispose]()
  for (const line of describe(imported, { from, sourceFile })) say(line)
  return 0
}

function describe(
  imported: Imported,
  { from, sourceFile }: { from: string; sourceFile: string },
): string[] {
  const { branch, current, sealed } = imported
  return [
    `Imported ${imported.imported} commits of ${withoutCredentials(from)}, branch ${branch}`,
    ...counted(imported.known, 'were dealt with before'),
    ...counted(imported.older, 'left out: older than --since'),
    ...counted(imported.absent, `left out: without ${sourceFile}`),
    ...counted(imported.tooLarge.length, 'left out: too large'),
    ...imported.tooLarge.slice(0, MAX_COMMITS).map((each) => largeLine(each, sourceFile)),
    ...counted(imported.unchanged, 'left out: the document is as before'),
    ...counted(imported.invalid.length, 'left out: not valid'),
    ...imported.invalid.slice(0, MAX_COMMITS).flatMap((each) => invalidLines(each, sourceFile)),
    ...counted(sealed, 'had plain secrets, which were sealed; their digests are others'),
    `The current configuration has the digest ${current.digest}, by ${current.username}`,
  ]
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${String(count).padStart(6)} ${what}`]
}

function invalidLines(
  { commit, author, problems }: Imported['invalid'][number],
  sourceFile: string,
): string[] {
  return problems.slice(0, MAX_PROBLEMS).map(({ message, line, column }) => {
    const place = line === undefined ? '' : `:${line}:${column ?? 1}`
    return `       ${commit.slice(0, 10)} by ${author}: ${sourceFile}${place}: ${message}`
  })
}

function largeLine(
  { commit, author, size }: Imported['tooLarge'][number],
  sourceFile: string,
): string {
  return `       ${commit.slice(0, 10)} by ${author}: ${sourceFile}: it has ${size} bytes`
}
