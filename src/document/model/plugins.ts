import { PLUGIN_ELEMENTS } from '../schema/plugins.ts'
import { SERVER_ELEMENTS } from '../schema/server.ts'
import { childrenOf, ELEMENT_NAME, many, modelOf, OWN_TEXT, type ValueOf } from './fields.ts'
import { CONFIGURATION, PLUGIN } from './values.ts'

const PackageDefinition = modelOf(PLUGIN_ELEMENTS.package, { properties: CONFIGURATION })
export type PackageDefinition = ValueOf<typeof PackageDefinition>

export const PackageRepository = modelOf(PLUGIN_ELEMENTS.repository, {
  plugin: PLUGIN,
  properties: CONFIGURATION,
  packages: many(PackageDefinition, 'packages', 'package'),
})
export type PackageRepository = ValueOf<typeof PackageRepository>

export const ScmDefinition = modelOf(PLUGIN_ELEMENTS.scm, {
  plugin: PLUGIN,
  properties: CONFIGURATION,
})
export type ScmDefinition = ValueOf<typeof ScmDefinition>

/** Allows or denies something to what its text names, which may have wildcards. */
const Rule = modelOf(SERVER_ELEMENTS.allow, { effect: ELEMENT_NAME, resource: OWN_TEXT })

/** Secrets that are kept elsewhere, and the rules of who may refer to them. */
export const SecretConfig = modelOf(PLUGIN_ELEMENTS.secretConfig, {
  rules: childrenOf('rules', Rule),
})
export type SecretConfig = ValueOf<typeof SecretConfig>
