import { z } from 'zod'
import { OptionalText } from '../schema/attribute.ts'
import { PIPELINE_ELEMENTS } from '../schema/pipelines.ts'
import { PLUGIN_ELEMENTS } from '../schema/plugins.ts'
import { many, manyOf, modelOf, OWN_TEXT, type ValueOf } from './fields.ts'
import type { ModelNode } from './model-node.ts'

/** One user or role in a list of those who may do something. */
export const Grantee = modelOf(
  {},
  {
    kind: { form: z.enum(['user', 'role']), read: ({ name }: ModelNode) => name },
    name: OWN_TEXT,
  },
)
export type Grantee = ValueOf<typeof Grantee>

/** The users and roles that an element lists. */
export const GRANTEES = {
  form: manyOf(Grantee.form),
  read: ({ children }: ModelNode) =>
    children.filter(({ name }) => name === 'user' || name === 'role').map(Grantee.read),
}

export const Variable = modelOf(PIPELINE_ELEMENTS.variable, {
  value: {
    form: OptionalText,
    read: (node: ModelNode) => node.textOf('value') ?? (node.text === '' ? null : node.text),
  },
})
export type Variable = ValueOf<typeof Variable>

/** The environment variables of a pipeline, stage, job or environment. */
export const VARIABLES = many(Variable, 'environmentvariables', 'variable')

/** One resource that a job needs or an agent has. */
export const Resource = modelOf({}, { name: OWN_TEXT })
export type Resource = ValueOf<typeof Resource>

/** Blank resources do not count. */
export const RESOURCE_LIST = {
  form: manyOf(Resource.form),
  read: (owner: ModelNode) =>
    owner
      .list('resources', 'resource')
      .filter(({ text }) => text !== '')
      .map(Resource.read),
}

/** A key and value that only a plugin understands. */
export const Property = modelOf(PLUGIN_ELEMENTS.property)
export type Property = ValueOf<typeof Property>

/** The properties that a plugin is configured with. */
export const CONFIGURATION = many(Property, 'configuration', 'property')

/** The plugin that a definition is for. */
export const PLUGIN = {
  form: z.object({ id: z.string(), version: z.string() }),
  read: (owner: ModelNode) => {
    const node = owner.child('pluginConfiguration')
    return { id: node?.attribute('id') ?? '', version: node?.attribute('version') ?? '' }
  },
}
