import type { SvnMaterial } from '../document/model/materials.ts'
import {
  type MaterialSource,
  MAX_CHANGES,
  type RevisionSpan,
  revisionNumber,
  type SourceModification,
} from './modification.ts'
import { addressOf, type SourcePlace } from './source-place.ts'
import { isNotThere, SvnClient } from './svn-client.ts'
import { findExternals } from './svn-externals.ts'
import { parseSvnRevision, renderSvnRevision, type SvnRevision } from '../core/svn-revision.ts'

/** Queries only the server: one revision number identifies everything in a repository. */
export function svnSource(material: SvnMaterial, place: SourcePlace): MaterialSource {
  const address = addressOf('svn', material.url)
  const client = new SvnClient(place, {
    url: address.url,
    username: material.username ?? address.username,
    password: place.password ?? address.password,
    userIsSecret: address.username !== null,
  })

  async function externals() {
    if (!material.checkExternals) return { own: [], others: [] }
    return findExternals(client, { material, place })
  }

  async function newest(): Promise<string> {
    const { own, others } = await externals()
    const inside = await Promise.all([client, ...own].map(lastChange))
    return renderSvnRevision({
      own: Math.max(...inside),
      others: await Promise.all(others.map(lastChange)),
    })
  }

  async function changes({ after, upTo }: RevisionSpan) {
    const last = parseSvnRevision(upTo)
    const before = after === null ? null : parseSvnRevision(after)
    if (last === null || (after !== null && before === null)) return null
    const { own, others } = await externals()
    const first = before === null ? last.own : before.own + 1
    const inside = first > last.own ? [] : await logOf([client, ...own], first, last.own)
    const outside = before && (await logOutside(others, before, last))
    const all = [...(outside ?? []).map((each) => ({ ...each, revision: upTo })), ...inside]
    return all.length === 0 || all.length > MAX_CHANGES ? null : all
  }

  /** Checks the newest revision first, and then the requested one. */
  async function find(revision: string) {
    const number = revisionNumber(revision)
    if (number === null || Number(number) > Number((await client.info())['@revision'])) return null
    try {
      await client.info(number)
      return number
    } catch (error) {
      if (isNotThere(error)) return null
      throw error
    }
  }

  return { newest, changes, find }
}

async function lastChange(client: SvnClient): Promise<number> {
  return Number((await client.info()).commit['@revision'])
}

/** The changes of several folders of one repository, each once, newest first. */
async function logOf(
  clients: readonly SvnClient[],
  first: number,
  last: number,
): Promise<SourceModification[]> {
  const logs = await Promise.all(clients.map((client) => logOrNone(client, first, last)))
  const byRevision = new Map(logs.flat().map((each) => [Number(each.revision), each]))
  return [...byRevision].toSorted(([one], [other]) => other - one).map(([, each]) => each)
}

/** The changes of other repositories between two revisions that were read from the same ones. */
async function logOutside(
  others: readonly SvnClient[],
  before: SvnRevision,
  last: SvnRevision,
): Promise<SourceModification[]> {
  if (others.length !== last.others.length || others.length !== before.others.length) return []
  const logs = others.map(async (client, n) => {
    const [from = 0, to = 0] = [before.others[n], last.others[n]]
    return from < to ? logOrNone(client, from + 1, to) : []
  })
  return (await Promise.all(logs)).flat().toSorted((one, other) => other.time - one.time)
}

/** None where the folder did not exist at that time. */
async function logOrNone(client: SvnClient, first: number, last: number) {
  try {
    return await client.log(first, last)
  } catch (error) {
    if (isNotThere(error)) return []
    throw error
  }
}
