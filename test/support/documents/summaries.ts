import { expect } from 'vitest'
import { renderChange } from '../../../src/document/changes/render-change.ts'
import { summariseChanges } from '../../../src/document/changes/summarise-changes.ts'
import { xmlDocument } from './xml-documents.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

const JOB =
  '<job name="unit" timeout="45"><tasks><exec command="npm"><arg>ci</arg></exec><exec command="npm"><arg>test</arg></exec></tasks><resources><resource>linux</resource></resources></job>'
export const STAGE = `<stage name="test"><jobs>${JOB}</jobs></stage>`
export const MATERIALS = '<materials><git url="https://example.org/shop.git" /></materials>'
const VARIABLES =
  '<environmentvariables><variable name="REGION"><value>eu-1</value></variable></environmentvariables>'
export const SHOP = `<pipeline name="shop">${VARIABLES}${MATERIALS}${STAGE}</pipeline>`

export const ADMINS = '<admins><user>ana</user></admins>'
const ROLES = '<roles><role name="ops"><users><user>bob</user></users></role></roles>'
const SERVER = `<server jobTimeout="5" agentAutoRegisterKey="k1"><security>${ROLES}${ADMINS}</security></server>`
const GROUP = `<pipelines group="web"><authorization><view><user>eve</user></view></authorization>\n${SHOP}\n</pipelines>`
const TEMPLATES = `<templates><pipeline name="base">${STAGE}</pipeline></templates>`
const ENVIRONMENTS =
  '<environments><environment name="live"><pipelines><pipeline name="shop" /></pipelines></environment></environments>'
const AGENTS =
  '<agents><agent hostname="box1" ipaddress="10.0.0.1" uuid="u1"><resources><resource>linux</resource></resources></agent></agents>'

/** A document with one of everything that a summary names. */
export const DOCUMENT = `<cruise schemaVersion="75">${SERVER}\n${GROUP}\n${TEMPLATES}\n${ENVIRONMENTS}\n${AGENTS}\n</cruise>`

/** Each change in words, with its entity, after replacing a part of the document. */
export function toldAfter(
  ...replacements: readonly (readonly [from: string, to: string])[]
): string[] {
  const after = replacements.reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  }, DOCUMENT)
  return told(DOCUMENT, after)
}

/** Each change in words, with its entity. */
export function told(before: string, after: string): string[] {
  const changes = runSync(summariseChanges(xmlDocument(before), xmlDocument(after)))
  return changes.map((change) => `${change.entity} ${change.kind}: ${renderChange(change)}`)
}
