import type { Material } from '../model/model.ts'

/** A material for people. Addresses may contain secrets, so only their last part is shown. */
export function shownMaterial(material: Material): string {
  switch (material.kind) {
    case 'dependency':
      return `${material.pipeline} / ${material.stage}`
    case 'package':
    case 'scm':
      return material.kind
    case 'unknown':
      return material.element
    case 'p4':
      return 'p4'
    case 'git':
    case 'hg':
    case 'svn':
    case 'tfs':
      return `${material.kind} ${lastPart(material.url)}`
  }
}

function lastPart(url: string): string {
  const [address = ''] = url.split(/[?#]/)
  return address.split(/[/\\:@]/).findLast((part) => part !== '') ?? ''
}
