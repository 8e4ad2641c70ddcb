import { OBJECT_NAME } from '../core/object-name.ts'
import type { GitExecutable } from './git-executable.ts'
import { tryGit } from './run-git.ts'

/** A message of `git fsck` about an intact object whose form git would not write today. */
const OF_FORM = new RegExp(`^(?:error|warning) in (\\w+) (${OBJECT_NAME}): (\\w+): (.*)$`)
/** An object that cannot be read. */
const UNREADABLE = ['badTree']
const COMMAND = ['fsck', '--strict', '--no-dangling', '--no-progress']
/** How the command ends where it has found fault with loose objects, with packed ones, or with both. */
const FOUND = ['exit code 1', 'exit code 4', 'exit code 5']
const MAX_NAMED = 3

/** Faults in the objects of a repository, a sentence each. */
export interface ObjectFaults {
  /** Objects that are missing or damaged. */
  readonly damage: readonly string[]
  /** Faults of form, each with the number of affected objects and some of their names. */
  readonly ofForm: readonly string[]
}

/**
 * Has git check every object. A commit or tree that other programs have written in another form than
 * git's stays as it is for ever: git reads it, and it can be copied like any other.
 */
export async function checkObjectsWith(git: GitExecutable, gitDir: string): Promise<ObjectFaults> {
  const { output, errors, end, isDone } = await tryGit(git, gitDir, COMMAND)
  const lines = `${output.toString('utf8')}${errors}`.split('\n').filter((line) => line !== '')
  const [damage, malformed]: [string[], Map<string, string[]>] = [[], new Map()]
  for (const line of lines) {
    const [, type, oid, fault = '', text] = OF_FORM.exec(line) ?? []
    if (type === undefined || UNREADABLE.includes(fault)) damage.push(line)
    else addTo(malformed, `${fault}: ${text}`, `${type} ${oid}`)
  }
  if (!isDone && damage.length === 0 && (!FOUND.includes(end) || malformed.size === 0))
    damage.push(end)
  return {
    damage: isDone ? [] : damage.map((line) => `git fsck: ${line}`),
    ofForm: [...malformed].map(([fault, objects]) => describeForm(fault, objects)),
  }
}

function addTo(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else if (!list.includes(item)) list.push(item)
}

function describeForm(fault: string, objects: readonly string[]): string {
  const isOne = objects.length === 1
  const what = isOne
    ? '1 object is badly formed and stays so'
    : `${objects.length} objects are badly formed and stay so`
  const more = objects.length > MAX_NAMED ? ` and ${objects.length - MAX_NAMED} more` : ''
  return `${what} (${fault}): ${objects.slice(0, MAX_NAMED).join(', ')}${more}`
}
