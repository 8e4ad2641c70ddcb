import { resolve } from 'node:path'
import { assertGitFolder, gitDirIn } from '../../git/git-folder.ts'
import { reportChanges } from '../../operations/change-report.ts'
import { renderReport } from '../../operations/render-report.ts'
import { programPath } from '../../settings/environment.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { SettingsError } from '../../settings/settings-error.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { say } from '../output.ts'

/** Prints the changes of a time with those who asked for, approved and overrode them. */
export async function report(args: readonly string[]): Promise<number> {
  const settings = readSettings(SETTINGS.report, args)
  const { since, until, entity, csv, json } = settings
  if (csv && json) throw new SettingsError('give --csv or --json, not both')
  const repository = resolve(settings['config-repo'])
  await assertGitFolder(gitDirIn(repository), repository)
  const changes = await reportChanges({
    repository,
    fileName: settings['config-file'],
    programPath: programPath(),
    since,
    until,
    entity,
  })
  const rendered = renderReport(changes, json ? 'json' : csv ? 'csv' : 'text')
  if (rendered !== '') say(rendered.slice(0, -1))
  return 0
}
