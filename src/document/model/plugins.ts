import { PLUGIN_ELEMENTS } from '../schema/plugins.ts'
import { many, modelOf, type ValueOf } from './fields.ts'
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
