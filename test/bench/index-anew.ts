import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../support/git/git.ts'
import type { Measured } from './case.ts'
import { costOf, median } from './measure.ts'
import { MeasuredServer } from './servers.ts'

interface Places {
  readonly repository: string
  readonly state: string
}

/**
 * The list of revisions read anew by a service that starts without it, beside a start with it, against
 * git, which prints what is read for that.
 */
export async function readIndexAnew(places: Places, rounds: number): Promise<Measured> {
  const { repository } = places
  const [anew, kept, ofGit]: [number[], number[], number[]] = [[], [], []]
  await startTimeOf(places)
  for (let round = 0; round < rounds; round += 1) {
    rmSync(join(repository, '.git', 'cairn', 'revisions'))
    anew.push(await startTimeOf(places))
    kept.push(await startTimeOf(places))
    ofGit.push((await costOf(() => git(repository, 'log', '--format=%H%n%B'), 1)).wall)
  }
  const facts = {
    'start without the list, ms': median(anew),
    'start with it, ms': median(kept),
    'git, ms': median(ofGit),
  }
  return { value: (median(anew) - median(kept)) / median(ofGit), facts }
}

async function startTimeOf(places: Places): Promise<number> {
  await using server = await MeasuredServer.cairn(places)
  await server.rest()
  return server.startTime
}
