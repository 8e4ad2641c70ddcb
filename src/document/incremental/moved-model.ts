import { memberTextOf, noteMemberText } from '../model/member-text.ts'
import { unreadPlaceOf, withUnreadJobs } from '../model/unread-jobs.ts'

/** A copy of a model that is elsewhere: wherever it says so, it begins with the new place. */
export function movedModel<Model>(model: Model, at: readonly number[]): Model {
  if (typeof model !== 'object' || model === null) return model
  if (Array.isArray(model)) return movedList(model, at)
  const unread = unreadPlaceOf(model)
  const copy = unread ? withUnreadJobs(model, unread) : Object.assign({}, model)
  const text = memberTextOf(model)
  if (text) noteMemberText(copy, text)
  return filled(copy, at, unread ? 'jobs' : null)
}

function movedList<List extends object & readonly unknown[]>(
  list: List,
  at: readonly number[],
): List {
  if (list.length === 0) return list
  const copy = Object.assign(list.slice(), list)
  if (typeof list[0] !== 'number') return filled(copy, at, null)
  for (const [depth, index] of at.entries()) Reflect.set(copy, depth, index)
  return copy
}

/** Fills all but one part, which is not there yet. */
function filled<Copy extends object>(
  copy: Copy,
  at: readonly number[],
  unread: string | null,
): Copy {
  for (const key of Object.keys(copy)) {
    if (key === unread) continue
    const value: unknown = Reflect.get(copy, key)
    if (typeof value === 'object' && value !== null) Reflect.set(copy, key, movedModel(value, at))
  }
  return copy
}
