import { z } from 'zod'
import type { ModelNode } from './model-node.ts'
import {
  At,
  Flag,
  OptionalText,
  Plugin,
  Property,
  readPlugin,
  readProperties,
  Text,
  manyOf,
} from './values.ts'

export const PackageDefinition = z.object({
  at: At,
  id: OptionalText,
  name: Text,
  autoUpdate: Flag,
  properties: manyOf(Property),
})
export type PackageDefinition = z.infer<typeof PackageDefinition>

export const PackageRepository = z.object({
  at: At,
  id: OptionalText,
  name: Text,
  plugin: Plugin,
  properties: manyOf(Property),
  packages: manyOf(PackageDefinition),
})
export type PackageRepository = z.infer<typeof PackageRepository>

export const ScmDefinition = PackageDefinition.extend({ plugin: Plugin })
export type ScmDefinition = z.infer<typeof ScmDefinition>

export function readRepository(node: ModelNode): z.input<typeof PackageRepository> {
  return {
    at: node.at,
    id: node.attribute('id'),
    name: node.attribute('name') ?? '',
    plugin: readPlugin(node),
    properties: readProperties(node.child('configuration')),
    packages: node.list('packages', 'package').map(readPackage),
  }
}

function readPackage(node: ModelNode): z.input<typeof PackageDefinition> {
  return {
    at: node.at,
    id: node.attribute('id'),
    name: node.attribute('name') ?? '',
    autoUpdate: node.attribute('autoUpdate') ?? 'true',
    properties: readProperties(node.child('configuration')),
  }
}

export function readScmDefinition(node: ModelNode): z.input<typeof ScmDefinition> {
  return { ...readPackage(node), plugin: readPlugin(node) }
}
