import { isAbsolute } from 'node:path/posix'
import type { Server } from '../model/model.ts'
import { quoting } from '../text/shown-text.ts'
import type { Finding } from '../model/finding.ts'
import { normalPath, normalSteps } from './paths.ts'
import type { RuleContext } from './rule-context.ts'

const MAX_INT = 2 ** 31 - 1

/** The rules of the server but for its security (SRV-1, SRV-3 to SRV-5, SRV-7). */
export function* serverRules({ written: { server } }: RuleContext): Generator<Finding> {
  if (!server) return
  yield* artifactsFolder(server)
  yield* purgeLimits(server)
  yield* jobTimeout(server)
  yield* commandRepository(server)
  yield* mailPort(server)
}

/** SRV-1. */
function* artifactsFolder({ at, artifactsDir }: Server): Generator<Finding> {
  if (artifactsDir.trim() === '') yield { at, message: 'the artifacts folder is empty' }
  else if (normalPath(artifactsDir) === '.') {
    const message = quoting`the artifacts folder ${artifactsDir} is the working folder of the server`
    yield { at, message }
  }
}

/** SRV-3. */
function* purgeLimits({ at, purgeStart, purgeUpto }: Server): Generator<Finding> {
  if ([purgeStart, purgeUpto].includes(Infinity)) {
    yield { at, message: 'a limit of the artifacts purge is not a finite number' }
  }
  const isSet = purgeStart !== null && purgeStart !== 0
  if (purgeUpto !== null && !isSet) {
    yield { at, message: `purgeUpto is ${purgeUpto} but there is no purgeStart` }
  } else if (purgeUpto === null && purgeStart !== null) {
    yield { at, message: `purgeStart is ${purgeStart} but there is no purgeUpto` }
  } else if (purgeUpto !== null && purgeStart !== null && purgeStart > purgeUpto) {
    yield { at, message: `purgeStart ${purgeStart} is more than purgeUpto ${purgeUpto}` }
  }
}

/** SRV-4. */
function* jobTimeout({ at, jobTimeout: minutes }: Server): Generator<Finding> {
  if (minutes === null) return
  if (minutes < 0) yield { at, message: `the job timeout is negative: ${minutes}` }
  if (minutes === Infinity) yield { at, message: 'the job timeout is not a finite number' }
}

/** SRV-5. */
function* commandRepository({ at, commandRepositoryLocation }: Server): Generator<Finding> {
  const location = commandRepositoryLocation
  if (location.trim() === '') {
    yield { at, message: 'the location of the command repository is blank' }
  } else if (!isStrictlyBelow(location)) {
    const message = quoting`the command repository ${location} is not a folder below the folder of all`
    yield { at, message }
  }
}

function isStrictlyBelow(location: string): boolean {
  if (isAbsolute(location) || location.startsWith('\\') || /[~:]/.test(location)) return false
  const [first] = normalSteps(location)
  return first !== undefined && first !== '..'
}

/** SRV-7: the port has to fit an int. */
function* mailPort({ mailHost }: Server): Generator<Finding> {
  const port = mailHost?.port ?? 0
  if (mailHost && Math.abs(port) > MAX_INT) {
    yield { at: mailHost.at, message: `the mail port ${port} is out of range` }
  }
}
