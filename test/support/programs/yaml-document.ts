import { parse } from 'yaml'

/** Reads YAML with its aliases and merged mappings; scalars stay text, and an empty value is `null`. */
export function readYaml(text: string): unknown {
  return parse(text, { schema: 'failsafe', merge: true, customTags: ['null'] })
}

/** The same with booleans and numbers. */
export function readTypedYaml(text: string): unknown {
  return parse(text, { merge: true })
}
