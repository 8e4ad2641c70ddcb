import { checkStructure } from '../../../src/document/structure/structure.ts'
import { readXml, type XmlDocument } from '../../../src/document/xml/xml-reader.ts'
import type { Problem } from '../../../src/core/problem.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

export function read(text: string): XmlDocument {
  const reading = runSync(readXml(new TextEncoder().encode(text)))
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
  return reading
}

export function problemsOf(text: string): Problem[] {
  return checkStructure(read(text))
}

export function messagesOf(text: string): string[] {
  return problemsOf(text).map(({ message }) => message)
}

export function cruise(content: string, version = '75'): string {
  return `<cruise schemaVersion="${version}">${content}</cruise>`
}

export const STAGE = '<stage name="s"><jobs><job name="j"/></jobs></stage>'
export const GIT = '<materials><git url="u"/></materials>'

export function pipeline(content: string, attributes = ''): string {
  return `<pipelines group="g"><pipeline name="p" ${attributes}>${content}</pipeline></pipelines>`
}

export function job(content: string, attributes = ''): string {
  const inner = `<job name="j" ${attributes}>${content}</job>`
  return pipeline(`${GIT}<stage name="s"><jobs>${inner}</jobs></stage>`)
}

export function task(content: string): string {
  return job(`<tasks>${content}</tasks>`)
}

export function two(one: string, other = one): string {
  return one + other
}

export function env(name: string, inner: string): string {
  return `<environment name="${name}">${inner}</environment>`
}
