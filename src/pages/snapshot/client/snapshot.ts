import { watchOutlineFilter } from './outline-filter.ts'
import { showPathOfTopLine } from './outline-path.ts'

showPathOfTopLine()
watchOutlineFilter()
