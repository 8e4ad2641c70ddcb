import { attributeOf } from '../xml-elements.ts'
import type { XmlElement } from '../xml-tree.ts'

export const HIDDEN = '•••• hidden'

const SECRET_NAMES = /password|secret|token|agentAutoRegisterKey|encryptedValue/i
const PASSWORD_IN_URL = /(:\/\/[^/\s:@]*:)[^/\s@]+@/g

/** The value of an attribute as a change may show it. */
export function shownAttribute(name: string, value: string): string {
  return SECRET_NAMES.test(name) ? HIDDEN : shown(value)
}

/** The text of an element as a change may show it. */
export function shownText(element: XmlElement, text: string): string {
  return isSecret(element) ? HIDDEN : shown(text)
}

function isSecret({ name, parent }: XmlElement): boolean {
  if (SECRET_NAMES.test(name)) return true
  if (name !== 'value' || !parent) return false
  const secure = attributeOf(parent, 'secure')?.trim()
  if (secure === 'true' || secure === '1') return true
  return parent.name === 'property' && hasSecretKey(parent)
}

function hasSecretKey(property: XmlElement): boolean {
  return property.children.some(
    (child) =>
      child.kind === 'element' &&
      child.name === 'key' &&
      child.children.some((part) => part.kind === 'text' && SECRET_NAMES.test(part.text)),
  )
}

function shown(value: string): string {
  return value.replace(PASSWORD_IN_URL, `$1${HIDDEN}@`)
}
