! A native baseline: what Coarray Fortran itself takes for pairs and locks, to lay beside what skampi measures of
! OpenSHMEM. Prints lines of: what, images, bytes, seconds of one operation on the slowest image.
!
!   pairs  each image of the first half puts to its partner in the second half, and completes it
!   locks  every image takes and returns the lock of image 1 in turn; and all want it at once
!
! mk/native compiles and runs it where libcoarrays-openmpi-dev (Debian) is installed.
program pairs_locks
  use iso_fortran_env, only: int8, int64, real64, lock_type
  implicit none
  integer, parameter :: largest = 1048576, repetitions = 200
  integer(int8), allocatable :: target(:)[:]
  integer(int8), allocatable :: source(:)
  type(lock_type) :: guard[*]
  real(real64) :: worst[*]
  integer :: me, n, bytes, image

  me = this_image()
  n = num_images()
  allocate (target(largest)[*], source(largest))
  source = int(mod(me, 100), int8)
  bytes = 8
  do while (n > 1 .and. bytes <= largest)
    call pairs(bytes)
    bytes = bytes * 8
  end do
  do image = 1, n
    call locks('lock_alone', me == image)
  end do
  call locks('lock_wanted_by_all', .true.)

contains

  real(real64) function now()
    integer(int64) :: count, rate
    call system_clock(count, rate)
    now = real(count, real64) / real(rate, real64)
  end function

  subroutine report(what, bytes, seconds)
    character(*), intent(in) :: what
    integer, intent(in) :: bytes
    real(real64), intent(in) :: seconds
    real(real64) :: slowest
    integer :: i
    worst = seconds
    sync all
    if (me == 1) then
      slowest = 0
      do i = 1, n
        slowest = max(slowest, worst[i])
      end do
      print '(a, 1x, i0, 1x, i0, 1x, es12.4)', what, n, bytes, slowest
    end if
    sync all
  end subroutine

  subroutine pairs(bytes)
    integer, intent(in) :: bytes
    real(real64) :: start, seconds
    integer :: i, partner
    partner = me + n / 2
    seconds = 0
    target = -1_int8
    sync all
    start = now()
    if (me <= n / 2) then
      do i = 1, repetitions
        target(1:bytes)[partner] = source(1:bytes)
        sync memory
      end do
      seconds = (now() - start) / repetitions
    end if
    sync all
    if (me > n / 2 .and. me <= 2 * (n / 2)) then
      if (any(target(1:bytes) /= int(mod(me - n / 2, 100), int8))) error stop 'wrong data'
    end if
    call report('pairs_put', bytes, seconds)
  end subroutine

  subroutine locks(what, takes)
    character(*), intent(in) :: what
    logical, intent(in) :: takes
    real(real64) :: start, seconds
    integer :: i
    seconds = 0
    sync all
    start = now()
    if (takes) then
      do i = 1, repetitions
        lock (guard[1])
        unlock (guard[1])
      end do
      seconds = (now() - start) / repetitions
    end if
    sync all
    call report(what, 0, seconds)
  end subroutine
end program
