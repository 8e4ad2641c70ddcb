import { nameKey } from '../name-key.ts'

const PLACE = /\$\{([^}[]+)(?:\[:(\d+)\])?\}/g
const VARIABLE = /^env:/i
const MAX_LENGTH = 255

/**
 * Renders the label of a pipeline run: `${COUNT}` is its counter, `${NAME}` the revision of the
 * material with that name, ignoring case, `${NAME[:7]}` its first 7 characters. `${env:NAME}` is a
 * variable, empty where there is none. Other unknown names stay as written.
 */
export function renderLabel(
  template: string,
  run: {
    readonly counter: number
    readonly revisions: ReadonlyMap<string, string>
    readonly variables: ReadonlyMap<string, string>
  },
): string {
  const values = new Map<string, string>()
  for (const [name, revision] of run.revisions) values.set(nameKey(name), revision)
  values.set('count', `${run.counter}`)
  const label = template.replace(PLACE, (place, name: string, length: string | undefined) => {
    const value = VARIABLE.test(name)
      ? (run.variables.get(name.replace(VARIABLE, '')) ?? '')
      : values.get(nameKey(name))
    if (value === undefined) return place
    return length === undefined ? value : value.slice(0, Number(length))
  })
  return label.slice(0, MAX_LENGTH)
}
