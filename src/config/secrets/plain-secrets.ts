import type { Problem } from '../../core/problem.ts'
import { newElement } from '../edit/new-element.ts'
import type { XmlEdit } from '../edit/xml-edit.ts'
import { pathOf } from '../element-path.ts'
import { attributeOf, elementsAt, isTrue, textOf } from '../xml-elements.ts'
import type { XmlDocument } from '../xml-reader.ts'
import type { XmlElement } from '../xml-tree.ts'
import { walkElements } from './walk-elements.ts'

/** A secret that stands in the document as it is. */
export interface PlainSecret {
  readonly element: XmlElement
  /** What holds it, for people. */
  readonly holder: string
  readonly offset: number
  readonly secret: string
  /** The edits that put its sealed form in the same place. */
  readonly sealedBy: (sealed: string) => readonly XmlEdit[]
}

const LOGIN_ELEMENTS = new Set(['svn', 'p4', 'tfs', 'git', 'hg', 'mailhost'])

/** Every secret in plain text, in the order of the document. An empty one is none. */
export function plainSecrets(root: XmlElement): PlainSecret[] {
  return [...walkElements(root)].flatMap((element) => {
    if (LOGIN_ELEMENTS.has(element.name)) {
      return attributeSecret(element, 'password', 'encryptedPassword')
    }
    if (element.name === 'ldap') {
      return attributeSecret(element, 'managerPassword', 'encryptedManagerPassword')
    }
    return isSecure(element) ? valueSecret(element) : []
  })
}

/** What a configuration must not be pushed with, each with its place. */
export function findPlainSecrets({ root, lines }: Pick<XmlDocument, 'root' | 'lines'>): Problem[] {
  return plainSecrets(root).map(({ element, holder, offset }) => ({
    message: `${holder} stands in plain text`,
    path: pathOf(element),
    ...lines.positionOf(offset),
  }))
}

/** An encrypted form beside the plain one is older and goes away. */
function attributeSecret(element: XmlElement, plain: string, encrypted: string): PlainSecret[] {
  const attribute = element.attributes.get(plain)
  if (!attribute || attribute.value === '') return []
  return [
    {
      element,
      holder: `the attribute "${plain}" of <${element.name}>`,
      offset: attribute.span.start,
      secret: attribute.value,
      sealedBy: (value) => [
        { kind: 'remove-attribute', element, name: encrypted },
        { kind: 'replace-attribute', element, from: plain, name: encrypted, value },
      ],
    },
  ]
}

/** Whether the value of a variable or of a property is a secret by its own word. */
export function isSecure(element: XmlElement): boolean {
  if (element.name === 'variable') return isTrue(element, 'secure')
  if (element.name !== 'property') return false
  return [element, ...elementsAt(element, 'key')].some((marked) => isTrue(marked, 'secure'))
}

/** Old documents write the value of a variable without an element around it. */
function valueSecret(element: XmlElement): PlainSecret[] {
  const values = elementsAt(element, 'value')
  const [value = element] = values
  const secret = textOf(value).trim()
  if (secret === '') return []
  const encrypted = elementsAt(element, 'encryptedValue')
  return [
    {
      element,
      holder: `the value of a secure ${element.name}`,
      offset: value.span.start,
      secret,
      sealedBy: (sealed) => [
        ...encrypted.map(
          (older) => ({ kind: 'remove', element: older, emptied: 'close' }) as const,
        ),
        { kind: 'replace', element: value, by: sealedValue(value, sealed) },
      ],
    },
  ]
}

function sealedValue(value: XmlElement, sealed: string) {
  const encryptedValue = newElement('encryptedValue', {}, [sealed])
  if (value.name === 'value') return encryptedValue
  const attributes = [...value.attributes.keys()].map((name) => [name, attributeOf(value, name)])
  return newElement(value.name, Object.fromEntries(attributes), [encryptedValue])
}
