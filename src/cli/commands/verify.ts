import { openLog } from '../../cluster/open-log.ts'
import { type LogReport, verifyLog } from '../../history/log/verify-log.ts'
import { verifyRepository } from '../../history/upkeep/verify.ts'
import { plural } from '../../lib/plural.ts'
import { programPath } from '../../settings/environment.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { checkedRepository } from '../checked-repository.ts'
import { complain, say } from '../output.ts'

/** Checks a repository, and the log that it follows, and exits with 1 when anything is wrong. A service may be running on it. */
export async function verify(args: readonly string[]): Promise<number> {
  const settings = readSettings(SETTINGS.verify, args)
  const checked = checkedRepository(settings)
  const { repository } = checked
  const report = await verifyRepository(checked)
  const ofLog = await verifyDatabase(settings.state, repository)
  const [notes, problems] = [
    [...report.notes, ...ofLog.notes],
    [...report.problems, ...ofLog.problems],
  ]
  for (const note of notes) say(`note: ${note}`)
  for (const problem of problems) complain(problem)
  if (problems.length > 0) return 1
  const { revisions, commits, archived } = report
  const extent = `${revisions} ${plural(revisions, 'revision')} in ${commits} ${plural(commits, 'commit')}`
  say(`${repository} is whole: ${extent}`)
  if (archived > 0) {
    say(`${archived} older ${plural(archived, 'revision is', 'revisions are')} in an archive`)
  }
  if (settings.state !== null) say('The log in the database is whole')
  return 0
}

async function verifyDatabase(url: string | null, repository: string): Promise<LogReport> {
  if (url === null) return { problems: [], notes: [] }
  await using opened = await openLog(url)
  return await verifyLog({ log: opened.log, repository, programPath: programPath() })
}
