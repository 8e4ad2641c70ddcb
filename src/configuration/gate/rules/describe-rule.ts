import type { WrittenRule } from './rules-schema.ts'
import { capitalised } from '../../../lib/texts.ts'

type WrittenMatch = NonNullable<WrittenRule['match']>
type EntityKeys = Pick<WrittenMatch, 'entity' | 'path' | 'change'>

/** A rule in sentences: what it is about and does, and whom it lets pass. */
export function describeRule(rule: WrittenRule): readonly string[] {
  const { match = {}, not, except, override, unless, window } = rule
  const sentences = [
    `${subjectOf(match)} ${effectOf(rule)}.`,
    unless && `Changes of ${either(unless.only, 'and')} alone do not count.`,
    not && `An approval from the ${either(not)} does not count.`,
    window && `It applies ${[window].flat().map(timeOf).join(', and ')}.`,
    except && `It does not apply to ${either(except, 'and')}.`,
    override &&
      `${capitalised(either(override.by))} can override it${override.reason ? ', with a reason' : ''}.`,
  ]
  return sentences.filter((sentence) => sentence !== undefined)
}

function subjectOf({ user, role, door, credential, plan, ...about }: WrittenMatch): string {
  const parts = [
    'Every change',
    aboutOf(about),
    user && `by ${either(user)}`,
    role && `by a user with the role ${either(role)}`,
    door && `through ${either(door)}`,
    credential && `with a ${either(credential)}`,
    plan && `with ${boundsOf(plan)} in its plan`,
  ]
  return parts.filter(Boolean).join(' ')
}

function aboutOf({ entity, path, change }: EntityKeys): string {
  const parts = [
    entity && `to ${either(entity)}`,
    path && `in ${either(path)}`,
    change && `(${either(change)})`,
  ]
  return parts.filter(Boolean).join(' ')
}

function boundsOf(plan: NonNullable<WrittenMatch['plan']>): string {
  return Object.entries(plan)
    .map(([fact, bound]) => `${fact} ${String(bound)}`)
    .join(' and ')
}

function effectOf({ effect, need = [] }: WrittenRule): string {
  if (effect === 'deny') return 'is refused'
  if (effect === 'warn') return 'gets a warning'
  return `needs ${need.map(needOf).join(', and ')}`
}

function needOf(need: NonNullable<WrittenRule['need']>[number]): string {
  if ('reason' in need) return 'a reason'
  const { approvals, of, when } = need
  const count = approvals === 1 ? 'an approval' : `${approvals} approvals`
  return `${count} from ${of}${when === undefined ? '' : ` for a change ${aboutOf(when)}`}`
}

type WrittenWindow = Extract<NonNullable<WrittenRule['window']>, { zone: string }>

function timeOf(window: WrittenWindow): string {
  return 'weekly' in window
    ? `every week ${either(window.weekly, 'and')} (${window.zone})`
    : `from ${window.from} to ${window.to} (${window.zone})`
}

function either(texts: string | readonly string[], word = 'or'): string {
  const all = [texts].flat()
  const last = all.at(-1) ?? ''
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} ${word} ${last}`
}
