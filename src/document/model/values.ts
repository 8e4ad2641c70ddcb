import { z } from 'zod'
import type { ModelNode } from './model-node.ts'

/** Where an element is: child-element indexes from the root. */
export const At = z.custom<readonly number[]>(Array.isArray)
export type At = z.infer<typeof At>

const NONE: readonly never[] = Object.freeze([])

/** A list. All that are empty are one, as most of them are: a large document has hundreds of thousands. */
export function manyOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .readonly()
    .transform((items): readonly z.output<Item>[] => (items.length === 0 ? NONE : items))
}

export const Text = z.string()
export const OptionalText = z.string().nullable()

export const Flag = z
  .string()
  .trim()
  .pipe(z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], case: 'sensitive' }))

/** A number as XML Schema writes it. `NaN` and `INF` are numbers there. */
export const OptionalNumber = z
  .string()
  .transform((text) => Number(text.trim().replace('INF', 'Infinity')))
  .nullable()

/** One user or role in a list of those who may do something. */
export const Grantee = z.object({ at: At, kind: z.enum(['user', 'role']), name: Text })
export type Grantee = z.infer<typeof Grantee>

export function readPrincipals(node: ModelNode | null): z.input<typeof Grantee>[] {
  const principals: z.input<typeof Grantee>[] = []
  for (const { name: kind, at, text } of node?.children ?? []) {
    if (kind === 'user' || kind === 'role') principals.push({ at, kind, name: text })
  }
  return principals
}

export const Variable = z.object({
  at: At,
  name: Text,
  secure: Flag,
  value: OptionalText,
  encryptedValue: OptionalText,
})
export type Variable = z.infer<typeof Variable>

/** Reads the environment variables of a pipeline, stage, job or environment. */
export function readVariables(owner: ModelNode): z.input<typeof Variable>[] {
  return owner.list('environmentvariables', 'variable').map((node) => ({
    at: node.at,
    name: node.attribute('name') ?? '',
    secure: node.attribute('secure') ?? 'false',
    value: node.textOf('value') ?? (node.text === '' ? null : node.text),
    encryptedValue: node.textOf('encryptedValue'),
  }))
}

/** One resource that a job needs or an agent has. */
export const Resource = z.object({ at: At, name: Text })
export type Resource = z.infer<typeof Resource>

/** Blank resources do not count. */
export function readResources(owner: ModelNode): z.input<typeof Resource>[] {
  return owner
    .list('resources', 'resource')
    .filter(({ text }) => text !== '')
    .map(({ at, text }) => ({ at, name: text }))
}

/** A key and value that only a plugin understands. */
export const Property = z.object({
  at: At,
  key: Text,
  value: OptionalText,
  encryptedValue: OptionalText,
})
export type Property = z.infer<typeof Property>

export function readProperties(owner: ModelNode | null): z.input<typeof Property>[] {
  return (owner?.list('property') ?? []).map((node) => ({
    at: node.at,
    key: node.textOf('key') ?? '',
    value: node.textOf('value'),
    encryptedValue: node.textOf('encryptedValue'),
  }))
}

/** Which plugin a definition is for. */
export const Plugin = z.object({ id: Text, version: Text })
export type Plugin = z.infer<typeof Plugin>

export function readPlugin(owner: ModelNode): z.input<typeof Plugin> {
  const node = owner.child('pluginConfiguration')
  return { id: node?.attribute('id') ?? '', version: node?.attribute('version') ?? '' }
}
