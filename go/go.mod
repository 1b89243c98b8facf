module gsym

go 1.19
