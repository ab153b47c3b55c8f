package main

import "os"

// What check-hotfix is held to, on loopback and beside the floor client in the same run.
const (
	maxWall = 1.25   // × floor
	maxCPU  = 1.3    // × floor
	maxPeak = 13.0   // MiB
	maxSize = 10.5e6 // bytes
)

// targets writes whether check-hotfix keeps within what it is held to.
func (r report) targets(m *measurement) error {
	product, floor := m.samples[productName], m.samples[floorName]
	info, err := os.Stat(r.programs[0].binary)
	if err != nil {
		return err
	}
	wall := ratio(product.wall().median, floor.wall().median)
	cpu := ratio(product.cpu().median, floor.cpu().median)
	peak := mebibytes(product.peak().median)
	size := info.Size()
	r.printf("### Targets\n\n| check-hotfix on loopback | at most | measured | met |\n|---|---|---|---|\n")
	r.printf("| wall time | %.2f × floor | %.2f × floor | %s |\n", maxWall, wall, yesNo(wall <= maxWall))
	r.printf("| CPU time | %.2f × floor | %.2f × floor | %s |\n", maxCPU, cpu, yesNo(cpu <= maxCPU))
	r.printf("| peak memory | %.1f MiB | %.1f MiB | %s |\n", maxPeak, peak, yesNo(peak <= maxPeak))
	r.printf("| binary | %.2f MB | %.2f MB | %s |\n\n", maxSize/1e6, float64(size)/1e6, yesNo(float64(size) <= maxSize))
	return nil
}
