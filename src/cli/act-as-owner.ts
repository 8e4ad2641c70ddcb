import nodeFs from 'node:fs/promises'
import { resolve } from 'node:path'
import { fsErrorCode, orNullWhenAbsent } from '../storage/fs-error.ts'
import { inheritanceOf, type Owner } from '../storage/ownership.ts'
import { CALLER, nameOfUser } from './caller.ts'
import { complain } from './output.ts'

declare global {
  namespace NodeJS {
    interface Process {
      /** Takes the groups that the system knows for a user, and one more. */
      initgroups?(user: number, group: number): void
    }
  }
}

const AS_ROOT = 'this goes on as root, and files keep the owner of what they replace'

/** A folder of a service, and its owner. */
interface OwnedPlace {
  readonly place: string
  readonly owner: Owner
}

/**
 * Switches to the owner of the folders of a service when root runs a command on another user's
 * folders: otherwise the service could not use files that this process, git and the database
 * create. Reports the switch, and also when a user other than root is not the owner.
 *
 * @param places The folders that are written to, the most important one first.
 */
export async function actAsOwner(...places: readonly string[]): Promise<void> {
  const me = process.geteuid?.()
  if (me === undefined) return
  const [first, ...others] = await ownersOf(places, { isRoot: me === 0 })
  if (first === undefined) return
  const other = others.find(({ owner }) => owner.uid !== first.owner.uid)
  if (other === undefined && first.owner.uid === me) return
  const whose = `${first.place} belongs to uid ${first.owner.uid}`
  if (other !== undefined) {
    if (me === 0) complain(`${whose} and ${other.place} to uid ${other.owner.uid}: ${AS_ROOT}`)
  } else if (me !== 0) {
    complain(`${whose}, and this runs as ${CALLER}: what it makes anew belongs to ${CALLER}`)
  } else if (hasBecome(first.owner)) {
    complain(`${whose}: this goes on as ${nameOfUser()}, and no longer as ${CALLER}`)
  } else {
    complain(`${whose}, and root may not become another user here: ${AS_ROOT}`)
  }
}

/** Where nothing is yet, the folder above decides for root. What others make there is theirs. */
async function ownersOf(
  places: readonly string[],
  { isRoot }: { readonly isRoot: boolean },
): Promise<readonly OwnedPlace[]> {
  const paths = [...new Set(places.map((place) => resolve(place)))]
  const found: OwnedPlace[] = []
  for (const place of paths) {
    const owner = await orNullWhenAbsent(nodeFs.stat(place))
    if (owner !== null) found.push({ place, owner })
  }
  const [first] = paths
  if (found.length > 0 || first === undefined || !isRoot) return found
  return [{ place: first, owner: (await inheritanceOf(first)).owner }]
}

/** False where this process lacks the right, as in some containers. */
function hasBecome({ uid, gid }: Owner): boolean {
  try {
    takeGroups({ uid, gid })
    process.setgid?.(gid)
    process.setuid?.(uid)
    return true
  } catch (error) {
    if (fsErrorCode(error) === 'EPERM') return false
    throw error
  }
}

function takeGroups({ uid, gid }: Owner): void {
  try {
    process.initgroups?.(uid, gid)
  } catch (error) {
    // A number without a user name has no known groups.
    if (fsErrorCode(error) !== 'ERR_UNKNOWN_CREDENTIAL') throw error
    process.setgroups?.([gid])
  }
}
